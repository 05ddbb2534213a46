'use client';

import { ChevronLeft, ChevronRight, Download, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { MessageFile } from '../api/api-shapes.ts';

interface Props {
  /** The pictures of one message. */
  pictures: readonly MessageFile[];
  /** The index of the picture that is shown first. */
  start: number;
  onClose: () => void;
}

const TOOL = 'btn btn-ghost btn-square border-transparent! bg-transparent! text-white hover:bg-white/15!';

/** These colors have enough contrast on any picture. */
const TURN = 'btn btn-square btn-circle absolute border-transparent! bg-black/60! text-white hover:bg-black/80!';

/** Shows a picture on the whole screen. The arrow keys move between the pictures of the message, and Escape closes it. */
export function PictureView({ pictures, start, onClose }: Props) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [at, setAt] = useState(start);
  const [lost, setLost] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const picture = pictures[at];
  if (picture === undefined) return null;
  const go = (by: number) => {
    setLost(false);
    setAt((at + by + pictures.length) % pictures.length);
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (pictures.length > 1 && key === 'ArrowLeft') go(-1);
    if (pictures.length > 1 && key === 'ArrowRight') go(1);
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby={`${id}-name`}
      className="fixed inset-0 m-0 h-dvh max-h-none w-screen max-w-none flex-col bg-neutral-950 text-white backdrop:bg-transparent open:flex"
      onClose={onClose}
      onKeyDown={onKeyDown}
    >
      <header className="flex flex-none items-center gap-1 py-2 ps-4 pe-2 pt-[max(0.5rem,env(safe-area-inset-top))]">
        <h2 id={`${id}-name`} className="min-w-0 flex-1 truncate">
          {picture.filename}
        </h2>
        {pictures.length > 1 && (
          <p className="px-2 text-small whitespace-nowrap tabular-nums" aria-live="polite">
            {at + 1} of {pictures.length}
          </p>
        )}
        <a className={TOOL} href={picture.url} download={picture.filename} aria-label="Download" title="Download">
          <Download size={20} aria-hidden="true" />
        </a>
        <button
          type="button"
          className={TOOL}
          aria-label="Close the picture"
          title="Close"
          onClick={() => dialog.current?.close()}
        >
          <X size={22} aria-hidden="true" />
        </button>
      </header>
      <div className="relative flex min-h-0 flex-1 items-center justify-center p-2 pb-[max(0.5rem,env(safe-area-inset-bottom))]">
        {lost ? (
          <p className="max-w-sm text-center" role="alert">
            This picture didn’t load. Close it, reload the conversation and try again.
          </p>
        ) : (
          // biome-ignore lint/performance/noImgElement: a signed address of the object store must not pass through this server.
          <img
            key={picture.id}
            src={picture.url}
            alt={picture.filename}
            className="max-h-full max-w-full object-contain"
            onError={() => setLost(true)}
          />
        )}
        {pictures.length > 1 && (
          <>
            <button type="button" className={`${TURN} start-3`} aria-label="Previous picture" onClick={() => go(-1)}>
              <ChevronLeft size={26} aria-hidden="true" />
            </button>
            <button type="button" className={`${TURN} end-3`} aria-label="Next picture" onClick={() => go(1)}>
              <ChevronRight size={26} aria-hidden="true" />
            </button>
          </>
        )}
      </div>
    </dialog>
  );
}
