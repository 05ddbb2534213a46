/** The property of the window that says that React has taken the page over, and the event for when it has come to rest. */
export const HYDRATED = 'hydrated';

/** How long a tap is kept: what was meant half a minute ago is not done behind somebody's back. */
const KEPT_MS = 30_000;

/**
 * Stands in front of each page's content and runs while the page is still being read: what is tapped, chosen or sent before
 * the page's own scripts have taken over is kept, and done as soon as they have. A form that the browser would send by itself,
 * because nobody listens yet, would lose what was typed into it, or put it into the address.
 *
 * React takes a page over as a whole, in one step (shell/page-boundary.tsx, shell/hydrated.tsx). Until then it is
 * told of nothing that is kept here: from the moment on in which its script runs, it stops at the document what it cannot answer
 * yet, because a part of the page is still on its way, and forgets it. So this listens before it, at the window.
 */
export const EARLY_TAPS = `(() => {
  const TAPPED = 'button:not([type=submit]), input[type=checkbox], input[type=radio]';
  const CHOSEN = 'select, input[type=file]';
  const held = new Map();
  const hold = (event, node, act) => {
    event.stopImmediatePropagation();
    event.preventDefault();
    held.delete(node);
    held.set(node, { act, until: Date.now() + ${KEPT_MS} });
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
      // The page may have put back what it knew of; files stay.
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
