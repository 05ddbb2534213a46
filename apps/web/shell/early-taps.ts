/** The window property that is set once React handles events, and the event that it is ready for the stored ones. */
export const HYDRATED = 'hydrated';

/** Older taps are dropped, because people no longer expect them to have an effect. */
const LIFETIME_MS = 30_000;

/**
 * An inline script before the content of each page. It stores taps, choices, and submitted forms until the page's scripts
 * handle events, and repeats them then (PAGE-4). A form that the browser submits itself before that would lose what was typed
 * into it, or put it into the URL.
 *
 * React hydrates a page as a whole, in one step (shell/page-boundary.tsx, shell/hydrated.tsx). As soon as its script runs, it
 * stops events at the document that it cannot handle yet, because a part of the page is still loading, and drops them. This
 * script therefore listens at the window, before React.
 */
export const EARLY_TAPS = `(() => {
  const TAPPED = 'button:not([type=submit]), input[type=checkbox], input[type=radio]';
  const CHOSEN = 'select, input[type=file]';
  const held = new Map();
  const hold = (event, node, act) => {
    event.stopImmediatePropagation();
    event.preventDefault();
    held.delete(node);
    held.set(node, { act, until: Date.now() + ${LIFETIME_MS} });
  };
  addEventListener('click', (event) => {
    const node = event.target instanceof Element ? event.target.closest(TAPPED) : null;
    if (node === null || window.${HYDRATED}) return;
    hold(event, node, () => node.click());
  }, true);
  addEventListener('change', (event) => {
    const { target } = event;
    if (window.${HYDRATED} || !target.matches(CHOSEN)) return;
    const { value } = target;
    hold(event, target, () => {
      // Hydration may have reset the value. Chosen files stay.
      if (target.type !== 'file') target.value = value;
      target.dispatchEvent(new Event('change', { bubbles: true }));
    });
  }, true);
  addEventListener('submit', (event) => {
    if (window.${HYDRATED}) return;
    const { target } = event;
    hold(event, target, () => target.requestSubmit());
  }, true);
  addEventListener('${HYDRATED}', () => {
    for (const [node, { act, until }] of [...held]) {
      held.delete(node);
      if (node.isConnected && Date.now() < until) act();
    }
  });
})();`;
