import { html } from '@case-platform/lib/html';
import type { Chain, Message, MessageFile } from '@case-platform/modules/messaging';
import type { Frame } from '../frame.ts';
import { icon } from './icons.ts';
import { clockWords, dayOf, dayWords, timeElement } from './times.ts';
import { senderRole, sizeWords } from './words.ts';

/** Messages of one sender within this time stand together under one name. */
const TOGETHER_MS = 5 * 60_000;
/** Pictures above this size are shown as a tile, not loaded into the page. */
const PICTURE_MAX_BYTES = 4 * 1024 * 1024;
const PICTURES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** Messages, oldest first, under their days; a line stands over the first one that is unread. */
export function thread(frame: Frame, chain: Chain, messages: readonly Message[]): string {
  const { zone } = frame.clock;
  const firstUnread = messages.find((message) => message.viewed === null && message.from_id !== frame.actor.user.id);
  const items = messages.map((message, position) => {
    const before = messages[position - 1];
    const newDay = before === undefined || dayOf(before.created_at, zone) !== dayOf(message.created_at, zone);
    const isNew = message === firstUnread;
    const follows = !newDay && !isNew && before !== undefined && standTogether(before, message);
    return html`!${newDay ? separator(dayWords(message.created_at, frame.clock)) : ''}!${isNew ? separator('New', 'is-new') : ''}!${bubble(frame, chain, message, follows)}`;
  });
  return html`<ol class="thread">!${items}</ol>`;
}

function separator(words: string, look = ''): string {
  return html`<li class="day-separator ${look}"><span>${words}</span></li>`;
}

function bubble({ actor, clock }: Frame, chain: Chain, message: Message, follows: boolean): string {
  const mine = message.from_id === actor.user.id;
  const look = `${mine ? 'is-mine' : ''} ${message.from_type === 'admin' && !mine ? 'is-staff' : ''}`;
  const from = mine ? 'You' : message.from_name;
  const time = timeElement(message.created_at, clock, clockWords(message.created_at, clock.zone));
  const role = mine ? '' : html`<span class="message-role">${senderRole(message, chain)}</span>`;
  const meta = html`<div class="message-meta !${follows ? 'sr-only' : ''}"><span class="message-from">${from}</span>!${role}<span class="message-time">!${time}</span></div>`;
  const files =
    message.files.length === 0 ? '' : html`<ul class="attachment-list">!${message.files.map(attachment)}</ul>`;
  return html`<li class="message ${look} ${follows ? 'follows' : ''}" id="message-${message.id}">!${meta}<div class="bubble">${message.message}</div>!${files}</li>`;
}

function attachment({ url, filename, content_type, size }: MessageFile): string {
  const note = `${typeWords(filename)}, ${sizeWords(size)}`;
  if (PICTURES.has(content_type) && size <= PICTURE_MAX_BYTES) {
    return html`<li><a class="attachment-tile is-image" href="${url}" title="${filename}"><img src="${url}" alt="" loading="lazy"><span class="attachment-name">${filename}</span><span class="attachment-note">${note}</span></a></li>`;
  }
  const mark = content_type.startsWith('image/') ? 'image' : 'file-text';
  return html`<li><a class="attachment-tile" href="${url}" title="${filename}"><span class="attachment-mark">!${icon(mark)}</span><span class="attachment-name">${filename}</span><span class="attachment-note">${note}</span></a></li>`;
}

function typeWords(filename: string): string {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(filename)?.[1];
  return extension === undefined ? 'File' : extension.toUpperCase();
}

function standTogether(earlier: Message, later: Message): boolean {
  return earlier.from_id === later.from_id && later.created_at.getTime() - earlier.created_at.getTime() < TOGETHER_MS;
}
