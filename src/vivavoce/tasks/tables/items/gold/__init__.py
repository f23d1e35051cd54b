"""Sources of gold tables: cited and results tables of a corpus, filtered, with their works."""
