'use client';

import { usePathname } from 'next/navigation';
import { useEffect } from 'react';
import { identify, pageOf, track } from '../api/analytics.ts';

/** Reports the person and the page to the analytics client, if the installation has one (WEB-14). */
export function VisitWatch({ userId, userType }: { userId: number; userType: string }) {
  const page = pageOf(usePathname());
  useEffect(() => identify({ user_id: userId, user_type: userType }), [userId, userType]);
  useEffect(() => track('page_viewed', { page }), [page]);
  return null;
}
