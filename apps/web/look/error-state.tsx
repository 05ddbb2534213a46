'use client';

import { CloudOff } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useTransition } from 'react';
import { VisitNumber } from './visit-number.tsx';

interface Props {
  title: string;
  text: string;
  onRetry?: () => void;
}

/** An error with a button that refreshes the page and calls `onRetry`. */
export function ErrorState({ title, text, onRetry }: Props) {
  const router = useRouter();
  const [pending, startTransition] = useTransition();
  const retry = () =>
    startTransition(() => {
      router.refresh();
      onRetry?.();
    });
  return (
    <div className="empty-state" role="alert">
      <CloudOff aria-hidden="true" />
      <h2>{title}</h2>
      <p>{text}</p>
      <button type="button" className="btn btn-primary" onClick={retry} disabled={pending} data-busy={pending}>
        {pending ? 'Trying…' : 'Try again'}
      </button>
      <VisitNumber />
    </div>
  );
}
