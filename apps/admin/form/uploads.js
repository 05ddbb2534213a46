// Files go straight to the storage in three steps: ask where to, send, confirm.

const token = document.querySelector('input[name=_csrf]')?.value ?? '';

for (const form of document.querySelectorAll('form[data-upload]')) {
  const input = form.querySelector('input[type=file]');
  const status = form.querySelector('[role=status]');
  const problem = form.querySelector('[role=alert]');
  form.hidden = false;
  input.addEventListener('change', () => sendAll([...input.files]));
  for (const kind of ['dragenter', 'dragover']) {
    form.addEventListener(kind, (event) => {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      form.dataset.dropping = '';
    });
  }
  form.addEventListener('dragleave', () => delete form.dataset.dropping);
  form.addEventListener('drop', (event) => {
    event.preventDefault();
    delete form.dataset.dropping;
    if (!input.disabled) sendAll([...event.dataTransfer.files]);
  });

  async function sendAll(files) {
    if (files.length === 0) return;
    input.disabled = true;
    problem.textContent = '';
    const refused = [];
    for (const file of files) {
      try {
        await send(file, (share) => {
          status.textContent = share < 1 ? `${file.name}: ${Math.floor(share * 100)}% sent` : `${file.name} is being checked…`;
        });
      } catch (error) {
        refused.push(error.message.includes(file.name) ? error.message : `${file.name}: ${error.message}`);
      }
    }
    status.textContent = '';
    if (refused.length === 0) {
      location.assign(form.dataset.next);
      return;
    }
    input.disabled = false;
    input.value = '';
    problem.textContent = refused.join(' ') + (refused.length < files.length ? ' The other files were added. Reload the page to see them.' : '');
  }

  async function send(file, onProgress) {
    if (file.size === 0) throw new Error('This file is empty.');
    onProgress(0);
    const { name: filename, type: content_type, size } = file;
    const { upload_url, upload_fields, file_key } = await ask('upload-url', { filename, content_type, size });
    await sendToStorage(upload_url, upload_fields, file, onProgress);
    onProgress(1);
    await ask('confirm', { file_key });
  }

  async function ask(step, fields) {
    const headers = { 'hx-request': 'true', 'x-csrf-token': token, accept: 'application/json' };
    const response = await fetch(`${form.dataset.upload}/${step}`, { method: 'POST', headers, body: new URLSearchParams(fields) }).catch(() => null);
    if (response === null) throw new Error('We lost the connection. Try again.');
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) throw new Error(answer.message ?? 'That didn’t work. Try again.');
    return answer;
  }
}

/** All fields first, the file last, to the storage's own address and without cookies. */
function sendToStorage(url, fields, file, onProgress) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('file', file);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', url);
    request.upload.addEventListener('progress', (event) => {
      if (event.lengthComputable && event.total > 0) onProgress(Math.min(0.99, event.loaded / event.total));
    });
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else reject(new Error(storageWords(request.status, request.responseText)));
    });
    request.addEventListener('error', () => reject(new Error('We lost the connection to the file storage. Try again.')));
    request.send(body);
  });
}

/** The storage answers with an XML document of another origin, which is searched but never parsed. */
function storageWords(status, text) {
  const code = /<Code>\s*([A-Za-z0-9]{1,64})\s*<\/Code>/.exec(text)?.[1];
  if (code === 'EntityTooLarge' || status === 413) return 'This file is too large.';
  if (code === 'EntityTooSmall') return 'This file is empty, or it changed after you chose it.';
  if (status >= 500) return 'The file storage is busy. Wait a moment and try again.';
  return `The file storage refused it${code === undefined ? '' : ` (${code})`}. Try again.`;
}
