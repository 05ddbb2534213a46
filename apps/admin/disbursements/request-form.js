// The form of a request: what is left of its contract limit while it is filled in, and a draft that outlives the page.
import { whatIsLeft } from '@case-platform/words/benefits';
import { forgetDraftKey, sendUnderDraftKey } from '../form/draft-key.js';

const form = document.querySelector('form[data-request]');

// What is left of the contract limit -----------------------------------------------------------------------------------------

const benefits = JSON.parse(form.dataset.benefits);
const left = document.getElementById('benefit-left');

function showLeft() {
  const { amount, category } = form.elements;
  const said = whatIsLeft(benefits, { category: category.value, amount: amount.value });
  left.textContent = said?.words ?? '';
  left.classList.toggle('is-over', said?.isOver ?? false);
}

// What is typed is kept until it is sent ------------------------------------------------------------------------------

const key = `draft:request-${form.dataset.request}`;
const FIELDS = ['amount', 'category', 'description', 'payee'];
const kept = form.querySelector('.draft-kept');
const initial = valuesOf();
// A refused form comes back with what was typed.
if (document.querySelector('.form-problem .is-error') === null) restore();
showLeft();
form.addEventListener('input', () => {
  keep();
  showLeft();
});
sendUnderDraftKey(form, key);
form.querySelector('[data-start-over]').addEventListener('click', () => {
  setValues(initial);
  keep();
  showLeft();
  form.elements.amount.focus();
});

function valuesOf() {
  return Object.fromEntries(FIELDS.map((name) => [name, form.elements[name].value]));
}

function setValues(values) {
  for (const name of FIELDS) if (typeof values[name] === 'string') form.elements[name].value = values[name];
}

function restore() {
  try {
    setValues(JSON.parse(localStorage.getItem(key)) ?? {});
  } catch {
    localStorage.removeItem(key);
  }
  kept.hidden = localStorage.getItem(key) === null;
}

function keep() {
  const values = valuesOf();
  const isChanged = FIELDS.some((name) => values[name] !== initial[name]);
  if (isChanged) localStorage.setItem(key, JSON.stringify(values));
  else {
    localStorage.removeItem(key);
    forgetDraftKey(key);
  }
  kept.hidden = !isChanged;
}
