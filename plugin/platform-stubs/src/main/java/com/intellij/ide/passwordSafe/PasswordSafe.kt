// Stands for platform/credential-store/src/ide/passwordSafe/PasswordSafe.kt.
package com.intellij.ide.passwordSafe

import com.intellij.credentialStore.CredentialStore

public abstract class PasswordSafe : CredentialStore {
    public companion object {
        @JvmStatic
        public val instance: PasswordSafe
            get() = throw UnsupportedOperationException()
    }
}
