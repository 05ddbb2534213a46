'use client';

import { Printer } from 'lucide-react';

export function PrintButton() {
  return (
    <button type="button" className="btn" onClick={() => print()}>
      <Printer size={16} aria-hidden="true" />
      Print
    </button>
  );
}
