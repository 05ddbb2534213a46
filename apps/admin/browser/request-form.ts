// The form of a request: what is left of its contract limit while it is filled in, and a draft that outlives the page.
import { whatIsLeft } from '@case-platform/words/benefits';
import { forgetDraftKey, sendUnderDraftKey } from './parts/draft-key.ts';
import { getElement, getField } from './parts/elements.ts';

const form = getElement<HTMLFormElement>('form[data-request]');

// The rest of the contract limit -----------------------------------------------------------------------------------------

const benefits = JSON.parse(form.dataset.benefits ?? '[]');
const left = getElement('#benefit-left');

function showLeft(): void {
  const [category, amount] = [getField(form, 'category').value, getField(form, 'amount').value];
  const rest = whatIsLeft(benefits, { category, amount });
  left.textContent = rest?.words ?? '';
  left.classList.toggle('is-over', rest?.isOver ?? false);
}

// The draft is stored until it is sent ------------------------------------------------------------------------------

const key = `draft:request-${form.dataset.request}`;
const FIELDS = ['amount', 'category', 'description', 'payee'];
const draftNote = getElement('.draft-kept', form);
const initial = valuesOf();
// A refused form comes back with what was typed.
if (document.querySelector('.form-problem .is-error') === null) restore();
showLeft();
form.addEventListener('input', () => {
  storeDraft();
  showLeft();
});
sendUnderDraftKey(form, key);
getElement('[data-start-over]', form).addEventListener('click', () => {
  setValues(initial);
  storeDraft();
  showLeft();
  getField(form, 'amount').focus();
});

function valuesOf(): Record<string, string> {
  return Object.fromEntries(FIELDS.map((name) => [name, getField(form, name).value]));
}

function setValues(values: Record<string, unknown>): void {
  for (const name of FIELDS) {
    const value = values[name];
    if (typeof value === 'string') getField(form, name).value = value;
  }
}

function restore(): void {
  try {
    setValues(JSON.parse(localStorage.getItem(key) ?? '{}'));
  } catch {
    localStorage.removeItem(key);
  }
  draftNote.hidden = localStorage.getItem(key) === null;
}

function storeDraft(): void {
  const values = valuesOf();
  const isChanged = FIELDS.some((name) => values[name] !== initial[name]);
  if (isChanged) localStorage.setItem(key, JSON.stringify(values));
  else {
    localStorage.removeItem(key);
    forgetDraftKey(key);
  }
  draftNote.hidden = !isChanged;
}
