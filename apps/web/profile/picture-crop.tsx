'use client';

import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from 'react';
import { cropSquare, moveCrop, WHOLE_PICTURE, ZOOM_MAX } from './square-crop.ts';

/** The side of the uploaded square in pixels: twice the largest version that the platform shows. */
const SENT_SIDE = 512;
const QUALITY = 0.9;
const STEP = 0.04;
const DIRECTIONS: Record<string, { x: number; y: number }> = {
  ArrowLeft: { x: STEP, y: 0 },
  ArrowRight: { x: -STEP, y: 0 },
  ArrowUp: { x: 0, y: STEP },
  ArrowDown: { x: 0, y: -STEP },
};

interface Props {
  picture: ImageBitmap;
  onUse: (file: File) => void;
  onClose: () => void;
}

/** Lets the person choose a square of the picture by dragging, with the arrow keys, and by zooming. Only the square is sent. */
export function PictureCrop({ picture, onUse, onClose }: Props) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const lastPoint = useRef<{ x: number; y: number } | null>(null);
  const [crop, setCrop] = useState(WHOLE_PICTURE);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    const surface = canvas.current?.getContext('2d');
    const { left, top, side } = cropSquare(picture, crop);
    if (surface === null || surface === undefined) return;
    // A JPEG has no transparency, so transparent pixels would become black.
    surface.fillStyle = 'white';
    surface.fillRect(0, 0, SENT_SIDE, SENT_SIDE);
    surface.drawImage(picture, left, top, side, side, 0, 0, SENT_SIDE, SENT_SIDE);
  }, [picture, crop]);

  const drag = (event: PointerEvent<HTMLCanvasElement>) => {
    if (lastPoint.current === null) return;
    const { width } = event.currentTarget.getBoundingClientRect();
    const by = { x: (event.clientX - lastPoint.current.x) / width, y: (event.clientY - lastPoint.current.y) / width };
    lastPoint.current = { x: event.clientX, y: event.clientY };
    setCrop((before) => moveCrop(picture, before, by));
  };
  const press = (event: KeyboardEvent<HTMLCanvasElement>) => {
    const by = DIRECTIONS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    setCrop((before) => moveCrop(picture, before, by));
  };
  const use = () => {
    canvas.current?.toBlob(
      (blob) => {
        if (blob !== null) onUse(new File([blob], 'picture.jpg', { type: 'image/jpeg' }));
      },
      'image/jpeg',
      QUALITY,
    );
  };

  return (
    <dialog ref={dialog} className="confirm-dialog" aria-labelledby={`${id}-title`} onClose={onClose}>
      <h2 id={`${id}-title`} className="confirm-title">
        Choose the part to show
      </h2>
      <p className="quiet text-small">Drag the picture to move it.</p>
      <canvas
        ref={canvas}
        width={SENT_SIDE}
        height={SENT_SIDE}
        tabIndex={0}
        role="img"
        aria-label="Your picture. Move it with the arrow keys."
        className="mx-auto my-4 block aspect-square w-full max-w-72 cursor-grab touch-none rounded-full bg-base-300"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          lastPoint.current = { x: event.clientX, y: event.clientY };
        }}
        onPointerMove={drag}
        onPointerUp={() => {
          lastPoint.current = null;
        }}
        onKeyDown={press}
      />
      <div className="field">
        <label className="field-label" htmlFor={`${id}-zoom`}>
          Zoom
        </label>
        <input
          id={`${id}-zoom`}
          type="range"
          className="range range-sm range-primary w-full"
          min={1}
          max={ZOOM_MAX}
          step={0.05}
          value={crop.zoom}
          onChange={(event) => setCrop((before) => moveCrop(picture, { ...before, zoom: Number(event.target.value) }, NOWHERE))}
        />
      </div>
      <div className="confirm-actions">
        <button type="button" className="btn" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button type="button" className="btn btn-primary" onClick={use}>
          Use this picture
        </button>
      </div>
    </dialog>
  );
}

const NOWHERE = { x: 0, y: 0 };
