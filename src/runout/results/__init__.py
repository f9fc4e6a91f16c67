"""What solves produce: values, reports and solutions, with their arrays and units."""
