'use client';

import NextLink from 'next/link';
import { useRouter } from 'next/navigation';
import type { ComponentProps } from 'react';

type Props = Omit<ComponentProps<typeof NextLink>, 'href' | 'prefetch'> & { href: string };

/**
 * A link within the application, looked ahead for when somebody is about to follow it. Next.js by itself looks ahead for each
 * that is visible, and again with every refresh of a live page, which then waits among them.
 */
export function Link({ href, ...props }: Props) {
  const router = useRouter();
  const lookAhead = () => router.prefetch(href);
  return <NextLink href={href} prefetch={false} onPointerEnter={lookAhead} onFocus={lookAhead} {...props} />;
}
