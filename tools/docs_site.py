"""A hook of mkdocs: adds pages that stand outside `docs`, and turns links to source into text.

`make docs` builds the site into `site`. Pages are written for a reader of the repository, where
links lead to any file; the site has pages only, so a link to another file becomes its name.
"""

import re
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from runout.explorer.server import INDEX, static_files

ROOT = Path(__file__).parents[1]

#: Pages of the site that stand elsewhere in the repository, by their place on the site.
OUTSIDE = {
    "architecture.md": "ARCHITECTURE.md",
    "changelog.md": "CHANGELOG.md",
    "configs.md": "configs/README.md",
    "contributing.md": "CONTRIBUTING.md",
    "glossary.md": "GLOSSARY.md",
    "security.md": "SECURITY.md",
}
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)#\s]*)(#[^)\s]*)?\)")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Adds the pages that stand outside `docs`."""
    for name, source in OUTSIDE.items():
        files.append(File.generated(config, name, content=(ROOT / source).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Returns the page with links as the site has them."""
    name = page.file.src_uri
    return site_links(markdown, PurePosixPath(OUTSIDE.get(name, f"docs/{name}")), files)


def on_post_build(*, config: MkDocsConfig) -> None:
    """Puts the page of the explorer around the data of the demo, which `export-site` wrote."""
    demo = Path(config.site_dir) / "demo"
    for name, file in static_files().items():
        content = file.plain()
        if name == INDEX:
            text = content.decode().replace('data-mode="server"', 'data-mode="static"')
            content = text.replace('"/static/', '"./').encode()
        (demo / name).parent.mkdir(parents=True, exist_ok=True)
        (demo / name).write_bytes(content)


def site_links(markdown: str, source: PurePosixPath, files: Files) -> str:
    """Returns a page of the repository with its links leading to pages of the site.

    Raises:
        FileNotFoundError: if a link leads nowhere.
    """
    by_source = {place: name for name, place in OUTSIDE.items()}

    def rewrite(link: re.Match[str]) -> str:
        text, place, anchor = link[1], link[2], link[3] or ""
        target = (ROOT / source.parent / place).resolve()
        if not target.exists():
            raise FileNotFoundError(f"{source}: the link to {place} leads nowhere")
        inside = target.relative_to(ROOT).as_posix()
        name = by_source.get(inside, inside.removeprefix("docs/"))
        if inside == "README.md":
            name, anchor = "index.md", ""
        if files.get_file_from_path(name) is None or name == inside:
            return text if "`" in text else f"`{text}`"
        return f"[{text}]({name}{anchor})"

    blocks = re.split(r"(^```.*?^```$)", markdown, flags=re.DOTALL | re.MULTILINE)
    return "".join(b if b.startswith("```") else _LINK.sub(rewrite, b) for b in blocks)
