// Writing a reply or an internal note: files, drafts, and switching between the two.
import { sizeWords } from '@case-platform/words/files';
import { forgetDraftKey, sendUnderDraftKey } from './parts/draft-key.ts';
import { onFilesDropped } from './parts/drop-files.ts';
import { getElement } from './parts/elements.ts';

// Files -------------------------------------------------------------------------------------------------------------

for (const list of document.querySelectorAll<HTMLElement>('[data-file-list]')) {
  const input = getElement<HTMLInputElement>(`#${list.dataset.fileList}`);
  input.addEventListener('change', () => showFiles(list, input));
  if (input.form !== null)
    onFilesDropped(input.form, (files) => {
      setFiles(input, [...(input.files ?? []), ...files]);
      showFiles(list, input);
    });
}

function setFiles(input: HTMLInputElement, files: File[]): void {
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  input.files = transfer.files;
}

function showFiles(list: HTMLElement, input: HTMLInputElement): void {
  const files = [...(input.files ?? [])];
  list.hidden = files.length === 0;
  list.replaceChildren(...files.map((file) => fileChip(file, list, input)));
}

function fileChip(file: File, list: HTMLElement, input: HTMLInputElement): HTMLElement {
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
    setFiles(
      input,
      [...(input.files ?? [])].filter((other) => other !== file),
    );
    showFiles(list, input);
    input.focus();
  });
  chip.append(name, size, remove);
  return chip;
}

// Drafts: a text that was not sent is still there the next time -----------------------------------------------------

const DRAFT = 'draft:';

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-draft]')) {
  const key = DRAFT + form.dataset.draft;
  const text = getElement<HTMLTextAreaElement>('textarea', form);
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

const tabs = [...document.querySelectorAll<HTMLElement>('a[data-compose]')];

/** Marks the tab that is not shown if it has a draft. */
function markDrafts(): void {
  for (const tab of tabs) {
    const isShown = tab.getAttribute('aria-current') === 'true';
    const hasDraft = getElement<HTMLTextAreaElement>(`#${tab.dataset.compose}-form textarea`).value !== '';
    getElement('.draft-mark', tab).hidden = isShown || !hasDraft;
  }
}

function choose(mode: string): void {
  for (const tab of tabs) {
    const isChosen = tab.dataset.compose === mode;
    if (isChosen) tab.setAttribute('aria-current', 'true');
    else tab.removeAttribute('aria-current');
    getElement(`#${tab.dataset.compose}-form`).hidden = !isChosen;
  }
  markDrafts();
  getElement(`#${mode}-form textarea`).focus();
}

for (const tab of tabs) {
  tab.addEventListener('click', (event) => {
    event.preventDefault();
    choose(tab.dataset.compose ?? 'reply');
  });
}
markDrafts();
if (location.hash === '#reply') document.getElementById('reply')?.focus();
