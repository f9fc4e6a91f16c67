from tools.api_reference import PAGE, make_page


def test_the_page_is_current():
    assert make_page() == PAGE.read_text(), "run: python -m tools.api_reference"


def test_every_public_name_has_its_signature_and_its_example():
    page = make_page()
    assert "\nparse_board(text: str) -> tuple[int, ...]\n" in page
    assert '>>> runout.parse_board("Ah Kd 7s")\n(50, 45, 23)\n' in page
    assert "SpotConfig(**keys)" in page
    assert "- `frequency()`: " in page
    assert "doctest:" not in page
