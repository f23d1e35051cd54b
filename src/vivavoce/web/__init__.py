"""The leaderboard as a folder of plain files that open anywhere, and pages that people label on."""
