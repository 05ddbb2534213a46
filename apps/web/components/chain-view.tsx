'use client';

import { useQueryClient } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import Link from 'next/link';
import { useEffect, useRef, useState } from 'react';
import { apiBrowser } from '../lib/api-browser.ts';
import type { ChainWithMessages, Message } from '../lib/api-shapes.ts';
import { chainTitle, nameAndRole, othersIn, roleInChain } from '../lib/chain-words.ts';
import { keepDraft, readDraft } from '../lib/drafts.ts';
import { keys, loadedMessages, useChain, withViewed } from '../lib/queries.ts';
import type { Me } from '../lib/session-shapes.ts';
import { keepSignedUrls } from '../lib/signed-urls.ts';
import { firstUnread } from '../lib/thread-items.ts';
import { useFileChoice } from '../lib/use-file-choice.ts';
import { type OutboxEntry, useOutbox } from '../lib/use-outbox.ts';
import { toApiUserType } from '../lib/user-types.ts';
import { ComposerBox } from './composer-box.tsx';
import { OutboxMessage, ThreadMessages } from './thread.tsx';

interface Props {
  me: Me;
  initial: ChainWithMessages;
}

/** One chain: who is in it, what was said, and where to answer. */
export function ChainView({ me, initial }: Props) {
  const reader = { id: me.id, type: toApiUserType(me.userType) };
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = useChain(initial.chain.id, initial);
  const chain = data?.pages[0]?.chain ?? initial.chain;
  const messages = loadedMessages(data);
  const outbox = useOutbox(me.id, chain.id);
  const input = useRef<HTMLTextAreaElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const [text, setText] = useDraft(me.id, chain.id);
  const choice = useFileChoice();
  const newFromId = useNewMark(messages, reader);
  useViewed(chain.id, messages, reader);
  useEffect(() => {
    keepSignedUrls(initial.messages.data, Date.now());
  }, [initial]);
  useEffect(() => outbox.settle(messages));

  const toNewest = () => scroller.current?.scrollTo({ top: 0 });
  const send = () => {
    outbox.send(
      text,
      choice.files.map(({ file }) => file),
    );
    setText('');
    choice.replace([]);
    toNewest();
    input.current?.focus();
  };
  const edit = (entry: OutboxEntry) => {
    setText(text.trim() === '' ? entry.text : `${entry.text}\n\n${text}`);
    choice.replace([...entry.files, ...choice.files.map(({ file }) => file)]);
    outbox.drop(entry.key);
    input.current?.focus();
  };
  const others = othersIn(chain, reader);

  return (
    <section className="is-focus flex min-h-0 flex-1 flex-col" aria-labelledby="chain-title">
      <header className="pane-header">
        <Link className="btn btn-ghost btn-square -ms-2 lg:hidden" href="/messages" aria-label="Back to all messages">
          <ArrowLeft size={22} aria-hidden="true" />
        </Link>
        <hgroup>
          <h1 id="chain-title" className="pane-title">
            {chainTitle(chain, reader)}
          </h1>
          <p className="pane-note">
            {others.length === 0
              ? 'With your escrow team'
              : others.map((one) => nameAndRole(one.name, roleInChain(one, chain))).join(' · ')}
          </p>
        </hgroup>
        {chain.status === 'closed' && <span className="state-pill">Closed</span>}
      </header>
      {/* Reversed, so that it stands at the newest message from the first paint on and stays there. */}
      <div ref={scroller} className="pane-scroll flex flex-col-reverse">
        <div className="flex min-h-full flex-col justify-end">
          {hasNextPage && (
            <div className="p-4 text-center">
              <button
                type="button"
                className="btn btn-sm"
                onClick={() => fetchNextPage()}
                disabled={isFetchingNextPage}
              >
                {isFetchingNextPage ? 'Loading…' : 'Show earlier messages'}
              </button>
            </div>
          )}
          <ol className="thread" aria-label="Messages">
            <ThreadMessages chain={chain} messages={messages} reader={reader} newFromId={newFromId} />
            {outbox.entries.map((entry) => (
              <OutboxMessage
                key={entry.key}
                entry={entry}
                onCancel={() => outbox.cancel(entry.key)}
                onRetry={() => outbox.retry(entry)}
                onEdit={() => edit(entry)}
              />
            ))}
          </ol>
        </div>
      </div>
      <NewestAnnounced messages={messages} reader={reader} />
      <ComposerBox
        text={text}
        onText={setText}
        choice={choice}
        onSend={send}
        placeholder="Write a message"
        inputRef={input}
      />
    </section>
  );
}

/** The draft of this chain. It is read after the first render, because the server does not know it. */
function useDraft(userId: number, chainId: number): [string, (text: string) => void] {
  const [text, setText] = useState('');
  useEffect(() => setText(readDraft(userId, chainId)), [userId, chainId]);
  const change = (next: string) => {
    setText(next);
    keepDraft(userId, chainId, next);
  };
  return [text, change];
}

type Reader = { id: number; type: string };

/** Where the unread messages began when the chain was opened: the line stays there while the person reads. */
function useNewMark(messages: readonly Message[], reader: Reader): number | null {
  const [mark] = useState(() => firstUnread(messages, reader)?.id ?? null);
  return mark;
}

/** Marks what is on the screen as viewed, as soon as somebody can be looking at it. */
function useViewed(chainId: number, messages: readonly Message[], reader: Reader): void {
  const client = useQueryClient();
  const newest = messages.at(-1)?.id;
  const unread = firstUnread(messages, reader) !== null;
  useEffect(() => {
    if (!unread || newest === undefined) return;
    const mark = async () => {
      if (document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', mark);
      try {
        await apiBrowser(`/api/messages/${chainId}/viewed`, { method: 'POST', body: { up_to_message_id: newest } });
      } catch {
        // Nothing is lost: it stays unread and is marked when the chain is next looked at.
        return;
      }
      const at = new Date().toISOString();
      client.setQueryData(keys.chain(chainId), (data: Parameters<typeof withViewed>[0]) =>
        withViewed(data, newest, at),
      );
      void client.invalidateQueries({ queryKey: keys.unread });
      void client.invalidateQueries({ queryKey: keys.allChains });
    };
    document.addEventListener('visibilitychange', mark);
    void mark();
    return () => document.removeEventListener('visibilitychange', mark);
  }, [chainId, newest, unread, client]);
}

/** Reads out what arrives while the chain is open. */
function NewestAnnounced({ messages, reader }: { messages: readonly Message[]; reader: Reader }) {
  const newest = messages.at(-1);
  const [opened] = useState(newest?.id ?? 0);
  const fromOthers = newest !== undefined && (newest.from_id !== reader.id || newest.from_type !== reader.type);
  return (
    <p className="sr-only" role="log">
      {fromOthers && newest.id > opened ? `${newest.from_name}: ${newest.message}` : ''}
    </p>
  );
}
