/** What an extension is told by its user: read, checked, and shown without secrets. */
export { redactSettings, type SettingSecret, settingsOf, type SettingsOutcome } from "./settings.ts";
