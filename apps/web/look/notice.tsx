import { CircleAlert, CircleCheck, Clock3, Info } from 'lucide-react';
import type { ReactNode } from 'react';

const ICONS = { info: Info, waiting: Clock3, error: CircleAlert, done: CircleCheck };

interface Props {
  kind: keyof typeof ICONS;
  title: string;
  children?: ReactNode;
  className?: string;
}

/** An inline message: what happened and what to do. Screen readers announce errors at once, other kinds politely. */
export function Notice({ kind, title, children, className = '' }: Props) {
  const Icon = ICONS[kind];
  return (
    <div className={`notice is-${kind} ${className}`} role={kind === 'error' ? 'alert' : 'status'}>
      <Icon aria-hidden="true" />
      <div>
        <p className="notice-title">{title}</p>
        {children !== undefined && <div className="text-small">{children}</div>}
      </div>
    </div>
  );
}
