// Writing a reply or an internal note: files, drafts, and switching between the two.
import { sizeWords } from '@case-platform/words/files';
import { forgetDraftKey, sendUnderDraftKey } from './parts/draft-key.ts';
import { onFilesDropped } from './parts/drop-files.ts';
import { getElement } from './parts/elements.ts';

// Files -------------------------------------------------------------------------------------------------------------

for (const list of document.querySelectorAll<HTMLElement>('[data-file-list]')) {
  attachTo(getElement<HTMLInputElement>(`#${list.dataset.fileList}`), list);
}

/** Adds the files that people choose, drop, or paste to those that are attached already, and lists them. */
function attachTo(input: HTMLInputElement, list: HTMLElement): void {
  let attached = [...(input.files ?? [])];
  const attach = (files: File[]) => {
    attached = files;
    setFiles(input, files);
    list.hidden = files.length === 0;
    list.replaceChildren(...files.map((file) => fileChip(file, () => remove(file))));
  };
  const remove = (file: File) => {
    attach(attached.filter((other) => other !== file));
    input.focus();
  };
  const add = (files: Iterable<File>) => attach([...attached, ...files]);
  // The browser has replaced the files of the input by those chosen last.
  input.addEventListener('change', () => add(input.files ?? []));
  if (input.form === null) return;
  onFilesDropped(input.form, add);
  input.form.addEventListener('paste', (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    add(files);
  });
}

function setFiles(input: HTMLInputElement, files: File[]): void {
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  input.files = transfer.files;
}

function fileChip(file: File, onRemove: () => void): HTMLElement {
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
  remove.addEventListener('click', onRemove);
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
