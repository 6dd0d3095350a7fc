# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The documents as a site: tools/site builds it, without the network."""

project = "laxity"
copyright = "2026 The laxity authors"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
# Headings that links name; a link that leads nowhere fails the build.
myst_heading_anchors = 3
html_theme = "alabaster"
html_theme_options = {
    "description": "What preemption, migration and memory contention take from real-time jobs",
    "fixed_sidebar": True,
    "page_width": "1120px",
    "sidebar_width": "240px",
}
html_show_sphinx = False
html_copy_source = False
