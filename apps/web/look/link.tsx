'use client';

import NextLink from 'next/link';
import { useRouter } from 'next/navigation';
import type { ComponentProps } from 'react';

type Props = Omit<ComponentProps<typeof NextLink>, 'href' | 'prefetch'> & { href: string };

/**
 * A link within the application that is prefetched when it gets the pointer or the focus. By default Next.js prefetches every
 * visible link, and does so again at every refresh of a live page, which then waits behind these requests.
 */
export function Link({ href, ...props }: Props) {
  const router = useRouter();
  const prefetch = () => router.prefetch(href);
  return <NextLink href={href} prefetch={false} onPointerEnter={prefetch} onFocus={prefetch} {...props} />;
}
