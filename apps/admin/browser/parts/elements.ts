/**
 * The first element of a page's own markup that matches.
 * @throws when the page has none, which is a mistake in its template
 */
export function getElement<E extends HTMLElement>(selector: string, inside: ParentNode = document): E {
  const element = inside.querySelector<E>(selector);
  if (element === null) throw new Error(`This page has no ${selector}.`);
  return element;
}

/** The field of a form with this name. */
export function getField(form: HTMLFormElement, name: string): HTMLInputElement {
  return form.elements.namedItem(name) as HTMLInputElement;
}

/** A bar over the page that says what has ended, with a link to go on. */
export function showBar(words: string, link: { href: string; words: string }): void {
  if (document.querySelector('.signed-out') !== null) return;
  const bar = document.createElement('div');
  bar.className = 'signed-out';
  bar.setAttribute('role', 'alert');
  const way = document.createElement('a');
  way.className = 'link';
  way.href = link.href;
  way.textContent = link.words;
  bar.append(`${words} `, way);
  document.body.prepend(bar);
}
