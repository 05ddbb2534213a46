import { CircleAlert, CircleCheck, Clock3, Info } from 'lucide-react';
import type { ReactNode } from 'react';

const ICONS = { info: Info, waiting: Clock3, error: CircleAlert, done: CircleCheck };

interface Props {
  kind: keyof typeof ICONS;
  title: string;
  children?: ReactNode;
  className?: string;
}

/** Something said in place: what happened and what to do. An error is read out at once, the rest when there is time. */
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
