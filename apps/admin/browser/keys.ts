// Single keys that press a button, follow a link or focus a field: elements with `data-key`. They work only while no field
// has the focus and nothing is open over the page, and can be turned off under "Account", because speech input presses keys
// by mistake (WCAG 2.1.4).

const FIELDS = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]';

document.addEventListener('keydown', (event) => {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return;
  if (!(target instanceof HTMLElement)) return;
  if (target.matches(FIELDS)) {
    if (key === 'Escape') target.blur();
    return;
  }
  if (document.cookie.includes('case-keys=off')) return;
  const open = document.querySelector('.confirm-dialog:popover-open');
  if (open !== null && !(key === '?' && open.id === 'keys')) return;
  const pressed = document.querySelector<HTMLInputElement>(`[data-key="${CSS.escape(key)}"]`);
  if (pressed === null) return;
  event.preventDefault();
  if (!pressed.matches(FIELDS)) return pressed.click();
  pressed.focus();
  pressed.select();
});
