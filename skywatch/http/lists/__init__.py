"""Lists: pages, cursors, conditional requests, exports sent in pieces; files of which parts are asked for."""
