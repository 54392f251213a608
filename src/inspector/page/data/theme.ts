/** Light, dark, or as the system says. Kept for this browser; the page's style does the rest. */

/** What was chosen. */
export type Theme = "system" | "light" | "dark";

const KEY = "lemon-inspect-theme";
const ORDER: readonly Theme[] = ["system", "light", "dark"];

/** What was chosen before. */
export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return ORDER.find((theme) => theme === kept) ?? "system";
}

/** Shows a theme and keeps it. */
export function showTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** The one after, in the order system, light, dark. */
export function themeAfter(theme: Theme): Theme {
  return ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length] ?? "system";
}
