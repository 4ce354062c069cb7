"""`krmkit why`: find where a value comes from. `trace` compares resources between steps, `fields` values in
them, `causes` finds the inputs that set them, `answers` puts this together, `command` shows it."""
