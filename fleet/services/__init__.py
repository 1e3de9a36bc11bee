"""Every act on the fleet. Admin, API, CLI and commands all end here.

Each function opens a change, or joins the one that is open; see fleet/history/change.py.
"""
