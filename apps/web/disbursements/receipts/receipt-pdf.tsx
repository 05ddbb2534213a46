'use client';

import { useEffect, useRef, useState } from 'react';

interface Props {
  url: string;
  filename: string;
}

/** Shows the first pages of a PDF. The drawing code is imported only here because it is large. */
export function ReceiptPdf({ url, filename }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<'drawing' | 'drawn' | 'failed'>('drawing');
  // Each answer has a newly signed URL. The first one is kept, so that the pages are not drawn again.
  const [drawn] = useState(url);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const draw = async () => {
      const { drawPdf } = await import('./draw-pdf.ts');
      if (place.current === null || signal.aborted) return;
      await drawPdf(drawn, place.current, signal);
      if (!signal.aborted) setState('drawn');
    };
    draw().catch(() => {
      if (!signal.aborted) setState('failed');
    });
    return () => leaving.abort();
  }, [drawn]);
  return (
    <section aria-label={`Receipt: ${filename}`}>
      <div ref={place} className="receipt-pages" />
      {state === 'drawing' && <p className="quiet text-small">Loading the pages…</p>}
      {state === 'failed' && <p className="quiet text-small">We can’t show this PDF here. Open the file instead.</p>}
    </section>
  );
}
