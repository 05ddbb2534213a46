/** Lets people drop files on a form, which shows that it takes them. */
export function onFilesDropped(form: HTMLFormElement, take: (files: File[]) => void): void {
  for (const kind of ['dragenter', 'dragover'] as const) {
    form.addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      form.dataset.dropping = '';
    });
  }
  form.addEventListener('dragleave', () => delete form.dataset.dropping);
  form.addEventListener('drop', (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    delete form.dataset.dropping;
    take(files);
  });
}
