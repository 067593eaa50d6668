// A page that has a report in it draws it; any other uses window.PodiumReport as it likes.
"use strict";
(() => {
  const data = document.getElementById("podium-report-json");
  if (!data) return;
  const report = JSON.parse(data.textContent);
  document.title = `${report.program.name || "program"} – Podium report`;
  PodiumReport.draw(document.getElementById("podium-report"), report);
})();
