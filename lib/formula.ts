/** Spreadsheets take a text that begins like this for a formula: `=HYPERLINK(...)` in an export is code of a stranger's. */
const FORMULA = /^[=+\-@]/;

/** Whether a spreadsheet would run a text instead of showing it. Spaces before it do not help. */
export function isFormula(text: string): boolean {
  return FORMULA.test(text.trimStart());
}
