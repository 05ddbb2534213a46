/**
 * Stands in front of each page's content and runs while the page is still being read: what is tapped or sent before the
 * page's own scripts have taken over is kept, and done as soon as they have. A form that the browser would send by itself,
 * because nobody listens yet, would lose what was typed into it.
 *
 * React leaves marks of its own on every node that it takes over; a node without any is not alive yet. What React answers
 * while it takes over has been answered when the event arrives here, at the window. A form that is sent between its marks and
 * its listeners comes here once more, and is sent again a little later.
 */
export const EARLY_TAPS = `(() => {
  const TAPPED = 'button:not([type=submit]), input[type=checkbox], input[type=radio]';
  const held = new Map();
  let timer = 0;
  const isAlive = (node) => Object.keys(node).length > 0;
  const hold = (node, act) => {
    held.delete(node);
    held.set(node, act);
    timer ||= setTimeout(release, 50);
  };
  const release = () => {
    timer = 0;
    for (const [node, act] of [...held]) {
      held.delete(node);
      if (!node.isConnected) continue;
      if (isAlive(node)) act();
      else hold(node, act);
    }
  };
  addEventListener('click', (event) => {
    const node = event.target instanceof Element ? event.target.closest(TAPPED) : null;
    if (node === null || isAlive(node)) return;
    event.preventDefault();
    hold(node, () => node.click());
  });
  addEventListener('submit', (event) => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    hold(event.target, () => event.target.requestSubmit());
  });
})();`;
