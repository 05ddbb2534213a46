import { type Html, html } from '@case-platform/lib/html';
import type { Chain, ChainNote, Message } from '@case-platform/modules/messaging';
import { type Clock, dayOf } from '@case-platform/words/days';
import { dayHeading, timeWords } from '@case-platform/words/times';
import { confirmDialog } from '../form/confirm-dialog.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { timeElement } from '../page/times.ts';
import { senderRole } from '../page/words.ts';
import { attachments } from './attachment.ts';
import { messageText } from './message-text.ts';

/** Messages of one sender within this time are grouped under one name. */
const TOGETHER_MS = 5 * 60_000;
/** As long as `retractMessage` allows. */
const RETRACTABLE_MS = 24 * 3_600_000;

/** An entry of a chain: a message, or a note of staff between the messages. */
type Entry = { created_at: Date; by: number } & ({ kind: 'message'; message: Message } | { kind: 'note'; note: ChainNote });

/**
 * Messages and notes by day, oldest first, with a line over the first unread message. A live update keeps an entry whose
 * `data-state` has not changed.
 */
export function timeline(frame: Frame, chain: Chain, messages: readonly Message[], notes: readonly ChainNote[] = []): Html {
  const { zone } = frame.clock;
  const firstUnread = messages.find((message) => message.viewed === null && message.from_id !== frame.actor.user.id);
  const entries = inOrder(messages, notes);
  const items = entries.map((entry, position) => {
    const before = entries[position - 1];
    const newDay = before === undefined || dayOf(before.created_at, zone) !== dayOf(entry.created_at, zone);
    const isNew = entry.kind === 'message' && entry.message === firstUnread;
    const follows = !newDay && !isNew && before !== undefined && standTogether(before, entry);
    const own = entry.kind === 'note' ? noteItem(frame, entry.note) : messageItem(frame, chain, entry.message, follows);
    return html`${newDay ? daySeparator(entry.created_at, frame.clock) : ''}
      ${isNew ? NEW_LINE : ''}
      ${own}`;
  });
  const newest = messages.at(-1)?.id ?? 0;
  return html`<ol class="message-list" id="timeline" data-live="merge" data-newest="${newest}">${items}</ol>`;
}

function inOrder(messages: readonly Message[], notes: readonly ChainNote[]): Entry[] {
  const waiting = [...notes];
  const entries: Entry[] = [];
  const addNotes = (before: number) => {
    while (waiting[0] !== undefined && waiting[0].created_at.getTime() < before) {
      const [note] = waiting.splice(0, 1) as [ChainNote];
      entries.push({ kind: 'note', note, created_at: note.created_at, by: note.author_id });
    }
  };
  for (const message of messages) {
    addNotes(message.created_at.getTime());
    entries.push({ kind: 'message', message, created_at: message.created_at, by: message.from_id });
  }
  addNotes(Number.POSITIVE_INFINITY);
  return entries;
}

const NEW_LINE = html`<li class="day-separator is-new"><span>New</span></li>`;

function daySeparator(at: Date, clock: Clock): Html {
  return html`<li class="day-separator" id="day-${dayOf(at, clock.zone)}"><span>${dayHeading(at, clock)}</span></li>`;
}

function messageItem(frame: Frame, chain: Chain, message: Message, follows: boolean): Html {
  const { actor, clock } = frame;
  const mine = message.from_id === actor.user.id;
  const retracted = message.retracted_at !== null;
  const mayRetract = mine && !retracted && clock.now.getTime() - message.created_at.getTime() < RETRACTABLE_MS;
  const look = [
    mine && 'is-mine',
    message.from_type === 'admin' && !mine && 'is-staff',
    retracted && 'is-retracted',
    follows && 'follows',
  ];
  const from = mine ? 'You' : message.from_name;
  const role = mine ? '' : senderRole(message, chain);
  const time = timeElement(message.created_at, clock, timeWords(message.created_at, clock));
  const meta = html`<div class="message-meta ${follows ? 'sr-only' : ''}">
    <span class="message-from">${from}</span>
    ${role === '' ? '' : html`<span class="message-role">${role}</span>`}
    <span class="message-time">${time}</span>
  </div>`;
  const content = retracted
    ? html`<p class="bubble tombstone">${from} took back a message</p>`
    : html`<div class="bubble" dir="auto">${messageText(message.message)}</div>${attachments(message.files)}`;
  const state = `${retracted} ${mayRetract} ${follows} ${role}`;
  return html`<li class="message ${look.filter(Boolean).join(' ')}" id="message-${message.id}" data-state="${state}">
    ${meta}
    ${content}
    ${mayRetract ? retraction(frame, message) : ''}
  </li>`;
}

function retraction(frame: Frame, { id, chain_id, files }: Message): Html {
  return confirmDialog(frame, {
    id: `retract-${id}`,
    button: 'Take back',
    title: 'Take back this message?',
    text: `Its text${files.length > 0 ? ' and files are' : ' is'} removed for everyone, permanently. People will see that you took back a message. Emails already sent can’t be recalled.`,
    action: `/messages/${chain_id}/messages/${id}/retract`,
    yes: 'Take back',
    no: 'Cancel',
    look: 'message-action',
  });
}

function noteItem({ actor, clock }: Frame, { id, author_id, author_name, note, created_at }: ChainNote): Html {
  const mine = author_id === actor.user.id;
  const time = timeElement(created_at, clock, timeWords(created_at, clock));
  return html`<li class="message is-note ${mine ? 'is-mine' : ''}" id="note-${id}" data-state="note">
    <div class="message-meta">
      <span class="message-from">${mine ? 'You' : author_name}</span>
      <span class="message-role">${icon('lock')}Internal note</span>
      <span class="message-time">${time}</span>
    </div>
    <div class="bubble" dir="auto">${messageText(note)}</div>
  </li>`;
}

function standTogether(earlier: Entry, later: Entry): boolean {
  if (earlier.kind === 'note' || later.kind === 'note') return false;
  const close = later.created_at.getTime() - earlier.created_at.getTime() < TOGETHER_MS;
  return earlier.by === later.by && close;
}
