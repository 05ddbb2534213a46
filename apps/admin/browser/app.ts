// Everything that all pages do beyond plain HTML. Each page works without it, except that colors then follow the system.
import { getElement, showBar } from './parts/elements.ts';

const YEAR_SECONDS = 365 * 24 * 60 * 60;

function setPreference(name: string, value: string): void {
  const [host, secure] = location.protocol === 'https:' ? ['__Host-', '; secure'] : ['', ''];
  const age = value === '' ? 0 : YEAR_SECONDS;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that we serve.
  document.cookie = `${host}${name}=${encodeURIComponent(value)}; path=/; max-age=${age}; samesite=lax${secure}`;
}

// The clock of this browser, so that the server can tell times by it.
setPreference('case-zone', Intl.DateTimeFormat().resolvedOptions().timeZone);

for (const without of document.querySelectorAll<HTMLElement>('[data-without-script]')) without.hidden = true;

// Colors ------------------------------------------------------------------------------------------------------------

for (const button of document.querySelectorAll<HTMLElement>('[data-theme-choice]')) {
  button.addEventListener('click', () => {
    const theme = button.dataset.themeChoice ?? '';
    setPreference('case-theme', theme);
    if (theme === '') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    for (const other of document.querySelectorAll<HTMLElement>('[data-theme-choice]')) {
      other.setAttribute('aria-pressed', String(other.dataset.themeChoice === theme));
    }
  });
}

// Single keys: keys.ts looks at the cookie -----------------------------------------------------------------------------

for (const box of document.querySelectorAll<HTMLInputElement>('[data-single-keys]')) {
  box.closest('[hidden]')?.removeAttribute('hidden');
  box.checked = !document.cookie.includes('case-keys=off');
  box.addEventListener('change', () => setPreference('case-keys', box.checked ? '' : 'off'));
}

// Forms -------------------------------------------------------------------------------------------------------------

for (const button of document.querySelectorAll<HTMLElement>('[data-show-password]')) {
  const input = getElement<HTMLInputElement>(`#${button.dataset.showPassword}`);
  button.hidden = false;
  button.addEventListener('click', () => {
    const shown = input.type === 'password';
    input.type = shown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(shown));
    getElement('span', button).textContent = shown ? 'Hide' : 'Show';
    input.focus();
  });
}

for (const select of document.querySelectorAll<HTMLSelectElement>('[data-submit-on-change]')) {
  select.addEventListener('change', () => select.form?.requestSubmit());
}

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-busy-words]')) {
  form.addEventListener('submit', () => {
    const button = getElement<HTMLButtonElement>('button[type=submit]', form);
    button.dataset.words ??= button.textContent ?? '';
    button.textContent = form.dataset.busyWords ?? '';
    button.disabled = true;
    button.dataset.busy = 'true';
  });
  form.addEventListener('keydown', (event) => {
    const isInText = event.target instanceof HTMLTextAreaElement;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && isInText) form.requestSubmit();
  });
}
// A page that the browser kept as it was left must not stay busy.
addEventListener('pageshow', (event) => {
  if (!event.persisted) return;
  // Without a network that would leave the browser's error page in its place.
  if (navigator.onLine) location.reload();
  else addEventListener('online', () => location.reload(), { once: true });
});

// A pasted code may hold spaces or words around it; the boxes have room for six digits.
for (const input of document.querySelectorAll<HTMLInputElement>('[data-code-field] > input')) {
  input.addEventListener('input', () => {
    const digits = input.value.replaceAll(/\D/g, '').slice(0, 6);
    if (digits !== input.value) input.value = digits;
  });
  input.addEventListener('paste', (event) => {
    const digits = (event.clipboardData?.getData('text') ?? '').replaceAll(/\D/g, '');
    if (digits.length !== 6) return;
    event.preventDefault();
    input.value = digits;
  });
}

for (const button of document.querySelectorAll<HTMLElement>('[data-copy]')) {
  if (navigator.clipboard === undefined) continue;
  const source = getElement(`#${button.dataset.copy}`);
  const words = getElement('span', button);
  button.hidden = false;
  button.addEventListener('click', async () => {
    const lines = source.children.length === 0 ? [source] : [...source.children];
    try {
      await navigator.clipboard.writeText(lines.map((line) => line.textContent).join('\n'));
      words.textContent = 'Copied';
    } catch {
      getSelection()?.selectAllChildren(source);
      words.textContent = 'Press Ctrl+C';
    }
  });
}

for (const button of document.querySelectorAll<HTMLElement>('[data-print]')) {
  button.hidden = false;
  button.addEventListener('click', () => print());
}

// Shows the whole text of a cell that is cut off on hover.
document.addEventListener('mouseover', ({ target }) => {
  if (!(target instanceof Element)) return;
  const cell = target.closest<HTMLElement>('.data-table.is-list td, .list-row > *');
  if (cell === null || cell.title !== '' || cell.scrollWidth <= cell.clientWidth) return;
  cell.title = cell.innerText.replaceAll(/\s+/g, ' ').trim();
});

// A draft is removed once it has arrived, and when its writer has signed out. Only the redirect to an address that names the new
// message or request proves that it arrived; going back to such an address after a failed attempt does not.
const DRAFT_SENT = 'draft-sent';
const ARRIVED = /^\/messages\/\d+(\?.*)?#(message|note)-\d+$|^\/disbursements\/\d+\?done=(created|changed)$/;
const sentDraft = sessionStorage.getItem(DRAFT_SENT);
const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
const wasRedirected = (navigation?.redirectCount ?? 0) > 0;
const hasArrived = wasRedirected && ARRIVED.test(location.pathname + location.search + location.hash);
if (sentDraft !== null && hasArrived) {
  localStorage.removeItem(sentDraft);
  localStorage.removeItem(`${sentDraft}:sending`);
}
sessionStorage.removeItem(DRAFT_SENT);

const SIGNING_OUT = 'signing-out';
if (sessionStorage.getItem(SIGNING_OUT) !== null && location.pathname === '/login') {
  for (const key of Object.keys(localStorage)) if (key.startsWith('draft:')) localStorage.removeItem(key);
  sessionStorage.clear();
}
sessionStorage.removeItem(SIGNING_OUT);

for (const form of document.querySelectorAll<HTMLFormElement>('form[action="/logout"]')) {
  form.addEventListener('submit', () => sessionStorage.setItem(SIGNING_OUT, 'yes'));
}

// Live parts --------------------------------------------------------------------------------------------------------

const title = document.title;

function showCountInTitle() {
  const count = Number(document.getElementById('unread-badge')?.dataset.count ?? 0);
  document.title = count > 0 ? `(${count}) ${title}` : title;
}
showCountInTitle();
document.addEventListener('htmx:after:swap', showCountInTitle);
document.addEventListener('htmx:finally:request', showCountInTitle);

document.addEventListener('htmx:response:error', (event) => {
  const { detail } = event as CustomEvent<{ ctx?: { response?: { status?: number } } } | undefined>;
  if (detail?.ctx?.response?.status !== 401) return;
  const href = `/login?next=${encodeURIComponent(location.pathname + location.search)}`;
  showBar('You’ve been signed out. What you typed is still here.', { href, words: 'Sign in again' });
});
