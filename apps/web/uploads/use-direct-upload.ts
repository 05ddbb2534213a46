'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import { errorMessage } from '../api/api-error.ts';

type UploadState =
  | { step: 'idle' }
  | { step: 'sending'; name: string; share: number }
  | { step: 'failed'; name: string; words: string };

/** Makes one upload at a time. A failed upload keeps its file, so that it can be tried again. */
export function useDirectUpload<T>(path: `/api/${string}`, onDone: (answer: T) => void) {
  const [state, setState] = useState<UploadState>({ step: 'idle' });
  const running = useRef<AbortController | null>(null);
  const last = useRef<File | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const start = useCallback(
    async (file: File) => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      last.current = file;
      setState({ step: 'sending', name: file.name, share: 0 });
      const onProgress = (share: number) => {
        if (running.current === controller) setState({ step: 'sending', name: file.name, share });
      };
      try {
        // Loaded with the first file, because most visits upload none.
        const { uploadDirectly } = await import('./direct-upload.ts');
        const answer = await uploadDirectly<T>(file, { path, signal: controller.signal, onProgress });
        if (running.current !== controller) return;
        last.current = null;
        setState({ step: 'idle' });
        onDone(answer);
      } catch (error) {
        if (running.current !== controller) return;
        const cancelled = controller.signal.aborted;
        setState(cancelled ? { step: 'idle' } : { step: 'failed', name: file.name, words: errorMessage(error) });
      }
    },
    [path, onDone],
  );

  const cancel = useCallback(() => running.current?.abort(), []);
  const retry = useCallback(() => {
    if (last.current !== null) void start(last.current);
  }, [start]);
  const dismiss = useCallback(() => setState({ step: 'idle' }), []);
  return { state, start, cancel, retry, dismiss };
}
