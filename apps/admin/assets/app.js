// What the pages of the server-rendered application do beyond plain HTML. Every page works without it, except that colors
// then follow the system.

const YEAR_SECONDS = 365 * 24 * 60 * 60;

function setPreference(name, value) {
  const [host, secure] = location.protocol === 'https:' ? ['__Host-', '; secure'] : ['', ''];
  const age = value === '' ? 0 : YEAR_SECONDS;
  document.cookie = `${host}${name}=${encodeURIComponent(value)}; path=/; max-age=${age}; samesite=lax${secure}`;
}

// The clock of this browser, so that the server can tell times by it.
setPreference('case-zone', Intl.DateTimeFormat().resolvedOptions().timeZone);

for (const without of document.querySelectorAll('[data-without-script]')) without.hidden = true;

// Colors ------------------------------------------------------------------------------------------------------------

for (const button of document.querySelectorAll('[data-theme-choice]')) {
  button.addEventListener('click', () => {
    const theme = button.dataset.themeChoice;
    setPreference('case-theme', theme);
    if (theme === '') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    for (const other of document.querySelectorAll('[data-theme-choice]')) {
      other.setAttribute('aria-pressed', String(other.dataset.themeChoice === theme));
    }
  });
}

// Single keys: keys.js looks at the cookie -----------------------------------------------------------------------------

for (const box of document.querySelectorAll('[data-single-keys]')) {
  box.closest('[hidden]')?.removeAttribute('hidden');
  box.checked = !document.cookie.includes('case-keys=off');
  box.addEventListener('change', () => setPreference('case-keys', box.checked ? '' : 'off'));
}

// Forms -------------------------------------------------------------------------------------------------------------

for (const button of document.querySelectorAll('[data-show-password]')) {
  const input = document.getElementById(button.dataset.showPassword);
  button.hidden = false;
  button.addEventListener('click', () => {
    const shown = input.type === 'password';
    input.type = shown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(shown));
    button.querySelector('span').textContent = shown ? 'Hide' : 'Show';
    input.focus();
  });
}

for (const select of document.querySelectorAll('[data-submit-on-change]')) {
  select.addEventListener('change', () => select.form.requestSubmit());
}

for (const form of document.querySelectorAll('form[data-busy-words]')) {
  form.addEventListener('submit', () => {
    const button = form.querySelector('button[type=submit]');
    button.dataset.words ??= button.textContent;
    button.textContent = form.dataset.busyWords;
    button.disabled = true;
    button.dataset.busy = 'true';
  });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target.matches('textarea')) form.requestSubmit();
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
for (const input of document.querySelectorAll('[data-code-field] > input')) {
  input.addEventListener('input', () => {
    const digits = input.value.replaceAll(/\D/g, '').slice(0, 6);
    if (digits !== input.value) input.value = digits;
  });
  input.addEventListener('paste', (event) => {
    const digits = event.clipboardData.getData('text').replaceAll(/\D/g, '');
    if (digits.length !== 6) return;
    event.preventDefault();
    input.value = digits;
  });
}

for (const button of document.querySelectorAll('[data-copy]')) {
  if (navigator.clipboard === undefined) continue;
  const source = document.getElementById(button.dataset.copy);
  const words = button.querySelector('span');
  button.hidden = false;
  button.addEventListener('click', async () => {
    const lines = source.children.length === 0 ? [source] : [...source.children];
    try {
      await navigator.clipboard.writeText(lines.map((line) => line.textContent).join('\n'));
      words.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(source);
      words.textContent = 'Press Ctrl+C';
    }
  });
}

for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false;
  button.addEventListener('click', () => print());
}

// What a row on one line cuts off is read on hover.
document.addEventListener('mouseover', ({ target }) => {
  const cell = target.closest('.data-table.is-list td, .list-row > *');
  if (cell === null || cell.title !== '' || cell.scrollWidth <= cell.clientWidth) return;
  cell.title = cell.innerText.replaceAll(/\s+/g, ' ').trim();
});

// A draft is gone once what it says has arrived, and when its writer has signed out. Only the redirect after it tells, to an address
// that names what was made. Going back after a sending that got nowhere says nothing, whatever its address names.
const DRAFT_SENT = 'draft-sent';
const ARRIVED = /^\/messages\/\d+(\?.*)?#(message|note)-\d+$|^\/disbursements\/\d+\?done=(created|changed)$/;
const sentDraft = sessionStorage.getItem(DRAFT_SENT);
const wasRedirected = performance.getEntriesByType('navigation')[0]?.redirectCount > 0;
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

for (const form of document.querySelectorAll('form[action="/logout"]')) {
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
  if (event.detail?.ctx?.response?.status !== 401 || document.querySelector('.signed-out') !== null) return;
  const bar = document.createElement('div');
  bar.className = 'signed-out';
  bar.setAttribute('role', 'alert');
  const link = document.createElement('a');
  link.className = 'link';
  link.href = `/login?next=${encodeURIComponent(location.pathname + location.search)}`;
  link.textContent = 'Sign in again';
  bar.append('You’ve been signed out. What you typed is still here. ', link);
  document.body.prepend(bar);
});
