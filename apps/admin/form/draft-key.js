// The key under which a draft was sent lies beside the draft: sent again after an answer that got lost, it is answered as the repeat
// that it is, and nothing is made twice. Other words, or other files, are sent under a new key.

/** Has a form sent under its draft's own key, for as long as it says the same. What has arrived takes the draft along (app.js). */
export function sendUnderDraftKey(form, draft) {
  form.addEventListener('submit', () => {
    sessionStorage.setItem('draft-sent', draft);
    // A form that changes what there is has none: twice is the same as once.
    const field = form.querySelector('input[name=idempotency_key]');
    if (field === null) return;
    const content = contentOf(form);
    const known = readSending(draft);
    field.value = known?.content === content ? known.key : newKey();
    localStorage.setItem(sendingOf(draft), JSON.stringify({ key: field.value, content }));
  });
}

/** Forgets the key of a draft that was given up. */
export function forgetDraftKey(draft) {
  localStorage.removeItem(sendingOf(draft));
}

const sendingOf = (draft) => `${draft}:sending`;

function readSending(draft) {
  try {
    return JSON.parse(localStorage.getItem(sendingOf(draft)));
  } catch {
    return null;
  }
}

/** What was typed and chosen; files are compared by name, size and date. */
function contentOf(form) {
  const hidden = new Set([...form.querySelectorAll('input[type=hidden]')].map(({ name }) => name));
  const parts = [...new FormData(form)].filter(([name, value]) => !hidden.has(name) && value?.name !== '');
  const plain = (value) => (typeof value === 'string' ? value : [value.name, value.size, value.lastModified]);
  return JSON.stringify(parts.map(([name, value]) => [name, plain(value)]));
}

/** Without `randomUUID`, which a browser has over HTTPS only. */
function newKey() {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16).padStart(8, '0')).join('');
}
