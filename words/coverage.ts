interface Uncovered {
  status: string;
  /** Staff request the deposit; everyone else is referred to the escrow specialist. */
  isStaff: boolean;
}

/**
 * The warning on a request that the case's available money does not cover, for people who may see the balance (FUNDS-3): what is
 * wrong, what the request waits for, and what to do.
 */
export function notCoveredWords({ status, isStaff }: Uncovered): string {
  const next = status === 'returned' ? 'It can be paid again' : 'It can be approved';
  const deposit = isStaff ? 'Ask the parents for one.' : 'The escrow specialist can explain how to make one.';
  return `Not covered: the case has less than this available. ${next} once a deposit has arrived. ${deposit}`;
}
