/** Fields of a billing item in Autotask with the quantity 1. */
export const pricedLine = (amount: number) => ({
  quantity: 1,
  rate: amount,
  extendedPrice: amount,
  totalAmount: amount,
  internalCurrencyTotalAmount: amount,
});
