import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from '../../lib/router.tsx';
import { resetPassword } from '#contract/auth.ts';
import { call, CallError } from '../../lib/call.ts';
import { clearErrors } from '../../lib/flash.ts';
import { useLinkToken } from '../../lib/link-token.ts';
import { Button } from '../../ui/button.tsx';
import { FrontCard, FrontPlace } from '../../ui/front-card.tsx';
import { isGood, NewPasswordFields, noPassword, passwordsDiffer } from '../../ui/new-password.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useTabTitle } from '../../ui/tab-title.ts';
import { setPasswordWords } from './words.ts';

/** No address: the link does not say whose password it is, and only the server knows. */
const circumstances = { email: '' };

/** Sets a new password with the token of a mailed link. */
export function Component() {
  useTabTitle(setPasswordWords.tab);
  const token = useLinkToken('/password');
  const [chosen, setChosen] = useState(noPassword);
  const change = useMutation({
    mutationFn: () => {
      clearErrors();
      if (chosen.password !== chosen.confirmation)
        throw new CallError('', { status: 400, fields: { password: passwordsDiffer } });
      return call(resetPassword, { body: { token: token ?? '', password: chosen.password } });
    },
    onSuccess: () => setChosen(noPassword),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isGood(chosen, circumstances)) change.mutate();
  };
  const fieldError = change.error instanceof CallError ? change.error.fields['password'] : undefined;
  const isOver = token === null || (change.error instanceof CallError && change.error.code === 'link_expired');

  if (change.isSuccess)
    return (
      <FrontPlace>
        <FrontCard title={setPasswordWords.setYourPassword}>
          <Notice tone="ok" role="status">
            {setPasswordWords.yourPasswordWasChanged}
          </Notice>
          <Link to="/login">{setPasswordWords.pleaseLogin}</Link>
        </FrontCard>
      </FrontPlace>
    );
  return (
    <FrontPlace>
      <FrontCard title={setPasswordWords.setYourPassword} onSubmit={submit} isBusy={change.isPending}>
        {(isOver || (change.error !== null && fieldError === undefined)) && (
          <Notice
            tone="bad"
            role="alert"
            action={isOver && <Link to="/forgot-password">{setPasswordWords.getANewLink}</Link>}
          >
            {token === null ? setPasswordWords.thisLinkIsNot : change.error?.message}
          </Notice>
        )}
        <NewPasswordFields
          value={chosen}
          onChange={(value) => {
            setChosen(value);
            if (fieldError !== undefined) change.reset();
          }}
          circumstances={circumstances}
          error={fieldError ?? null}
        />
        <Button type="submit" disabled={change.isPending || token === null || !isGood(chosen, circumstances)}>
          {setPasswordWords.save}
        </Button>
      </FrontCard>
    </FrontPlace>
  );
}
