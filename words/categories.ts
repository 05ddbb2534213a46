/** The category of costs that the contract does not name (CATEGORY-1). Every case has it. */
export const OTHER_CATEGORY = 'Other';
