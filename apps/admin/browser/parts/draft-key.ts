// The key under which a draft was sent is stored beside the draft. If the answer is lost and the draft is sent again, the server
// recognizes the repeat and makes nothing twice. Other words, or other files, are sent under a new key.

/** Sends a form under its draft's own key while its content is the same. `app.ts` removes the draft when it has arrived. */
export function sendUnderDraftKey(form: HTMLFormElement, draft: string): void {
  form.addEventListener('submit', () => {
    sessionStorage.setItem('draft-sent', draft);
    // A form that changes something has no key: sending it twice has the same result as sending it once.
    const field = form.querySelector<HTMLInputElement>('input[name=idempotency_key]');
    if (field === null) return;
    const content = contentOf(form);
    const sending = readSending(draft);
    field.value = sending?.content === content ? sending.key : newKey();
    localStorage.setItem(sendingOf(draft), JSON.stringify({ key: field.value, content }));
  });
}

/** Forgets the key of a draft that was given up. */
export function forgetDraftKey(draft: string): void {
  localStorage.removeItem(sendingOf(draft));
}

const sendingOf = (draft: string) => `${draft}:sending`;

function readSending(draft: string): { key: string; content: string } | null {
  try {
    return JSON.parse(localStorage.getItem(sendingOf(draft)) ?? 'null');
  } catch {
    return null;
  }
}

/** Everything that was typed and chosen; files are compared by name, size and date. */
function contentOf(form: HTMLFormElement): string {
  const hidden = new Set([...form.querySelectorAll<HTMLInputElement>('input[type=hidden]')].map(({ name }) => name));
  const isSent = (value: FormDataEntryValue) => typeof value === 'string' || value.name !== '';
  const parts = [...new FormData(form)].filter(([name, value]) => !hidden.has(name) && isSent(value));
  const plain = (value: FormDataEntryValue) => (typeof value === 'string' ? value : [value.name, value.size, value.lastModified]);
  return JSON.stringify(parts.map(([name, value]) => [name, plain(value)]));
}

/** Without `randomUUID`, which a browser has over HTTPS only. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16).padStart(8, '0')).join('');
}
