/** The category of costs that the contract does not name (decisions, section 16). Every case has it. */
export const OTHER_CATEGORY = 'Other';
