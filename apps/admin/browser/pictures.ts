// Opens a picture over the page instead of downloading it.

document.addEventListener('click', (event) => {
  if (!(event.target instanceof Element)) return;
  const tile = event.target.closest<HTMLAnchorElement>('a.attachment-tile.is-image');
  if (tile === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  show(tile);
});

function show(tile: HTMLAnchorElement): void {
  const dialog = document.createElement('dialog');
  dialog.className = 'picture-dialog';
  dialog.setAttribute('aria-label', tile.title);
  const picture = document.createElement('img');
  picture.src = tile.href;
  picture.alt = tile.title;
  const name = document.createElement('p');
  name.textContent = tile.title;
  const download = document.createElement('a');
  download.className = 'btn btn-sm';
  download.href = tile.href;
  download.textContent = 'Download';
  const done = document.createElement('button');
  done.className = 'btn btn-sm btn-primary';
  done.textContent = 'Close';
  done.addEventListener('click', () => dialog.close());
  const bar = document.createElement('div');
  bar.className = 'picture-bar';
  bar.append(name, download, done);
  dialog.append(picture, bar);
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener('close', () => {
    dialog.remove();
    tile.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  done.focus();
}
