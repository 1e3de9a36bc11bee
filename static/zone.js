"use strict";

// Tells the server the zone of this browser (fleet/time_zone.py), from the next page of the admin on.
{
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `timezone=${timeZone}; path=/admin; max-age=31536000; samesite=lax${secure}`;
}
