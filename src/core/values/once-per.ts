/**
 * Returns a function that makes a value once for each object, and forgets it together with the object. For results that
 * depend on the object alone, and for state that belongs to it.
 */
export function oncePer<Of extends object, Value>(make: (of: Of) => Value): (of: Of) => Value {
  const made = new WeakMap<Of, { readonly value: Value }>();
  return (of) => {
    let found = made.get(of);
    if (found === undefined) {
      found = { value: make(of) };
      made.set(of, found);
    }
    return found.value;
  };
}
