import { GeistMono } from 'geist/font/mono';
import type { ReactNode } from 'react';
import { BrandLine } from '../look/brand.tsx';

interface Props {
  /** Below the panel. */
  foot?: ReactNode;
  /** False if the children bring their own panel. */
  isPanel?: boolean;
  children: ReactNode;
}

/** The layout of the pages that need no session (WEB-2). */
export function SignInFrame({ foot, isPanel = true, children }: Props) {
  return (
    <main className={`${GeistMono.variable} sign-in`}>
      <p className="shell-brand">
        <BrandLine />
      </p>
      {isPanel ? <div className="panel sign-in-panel">{children}</div> : children}
      {foot !== undefined && <p className="sign-in-foot">{foot}</p>}
    </main>
  );
}
