// Writing a reply or an internal note: files, drafts, and switching between the two.
import { sizeWords } from '@case-platform/words/files';
import { forgetDraftKey, sendUnderDraftKey } from '../form/draft-key.js';

// Files -------------------------------------------------------------------------------------------------------------

for (const list of document.querySelectorAll('[data-file-list]')) {
  const input = document.getElementById(list.dataset.fileList);
  const form = input.form;
  input.addEventListener('change', () => showFiles(list, input));
  for (const kind of ['dragenter', 'dragover']) {
    form.addEventListener(kind, (event) => {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      form.dataset.dropping = '';
    });
  }
  form.addEventListener('dragleave', () => delete form.dataset.dropping);
  form.addEventListener('drop', (event) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    delete form.dataset.dropping;
    setFiles(input, [...input.files, ...event.dataTransfer.files]);
    showFiles(list, input);
  });
}

function setFiles(input, files) {
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  input.files = transfer.files;
}

function showFiles(list, input) {
  list.hidden = input.files.length === 0;
  list.replaceChildren(...[...input.files].map((file) => fileChip(file, list, input)));
}

function fileChip(file, list, input) {
  const chip = document.createElement('li');
  chip.className = 'file-chip';
  const name = document.createElement('span');
  name.textContent = file.name;
  const size = document.createElement('span');
  size.className = 'quiet';
  size.textContent = sizeWords(file.size);
  const remove = document.createElement('button');
  remove.type = 'button';
  remove.className = 'btn btn-ghost btn-xs btn-square';
  remove.textContent = '×';
  remove.setAttribute('aria-label', `Remove ${file.name}`);
  remove.addEventListener('click', () => {
    setFiles(input, [...input.files].filter((other) => other !== file));
    showFiles(list, input);
    input.focus();
  });
  chip.append(name, size, remove);
  return chip;
}

// Drafts: a text that was not sent is still there the next time -----------------------------------------------------

const DRAFT = 'draft:';

for (const form of document.querySelectorAll('form[data-draft]')) {
  const key = DRAFT + form.dataset.draft;
  const text = form.querySelector('textarea');
  if (text.value === '') text.value = localStorage.getItem(key) ?? '';
  text.addEventListener('input', () => {
    if (text.value === '') {
      localStorage.removeItem(key);
      forgetDraftKey(key);
    } else localStorage.setItem(key, text.value);
    markDrafts();
  });
  sendUnderDraftKey(form, key);
}

// Reply or note -----------------------------------------------------------------------------------------------------

const tabs = [...document.querySelectorAll('a[data-compose]')];

/** The one that is not shown says when something was begun there. */
function markDrafts() {
  for (const tab of tabs) {
    const isShown = tab.getAttribute('aria-current') === 'true';
    const begun = document.querySelector(`#${tab.dataset.compose}-form textarea`).value !== '';
    tab.querySelector('.draft-mark').hidden = isShown || !begun;
  }
}

function choose(mode) {
  for (const tab of tabs) {
    const isChosen = tab.dataset.compose === mode;
    if (isChosen) tab.setAttribute('aria-current', 'true');
    else tab.removeAttribute('aria-current');
    document.getElementById(`${tab.dataset.compose}-form`).hidden = !isChosen;
  }
  markDrafts();
  document.querySelector(`#${mode}-form textarea`).focus();
}

for (const tab of tabs) {
  tab.addEventListener('click', (event) => {
    event.preventDefault();
    choose(tab.dataset.compose);
  });
}
markDrafts();
if (location.hash === '#reply') document.getElementById('reply')?.focus();
