"""Where gold tables come from: cited and results tables of a corpus, filtered, with their works."""
